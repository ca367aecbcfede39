/** The address of a crosswalk leads to its mappings, as that of a data set leads to its rows. */
import { Navigate } from 'react-router-dom';

export default function CrosswalkById() {
  return <Navigate to="mappings" replace />;
}
