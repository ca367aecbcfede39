/** Redirects from a crosswalk's URL to its mappings, as a data set's URL shows its rows. */
import { Navigate } from 'react-router-dom';

export default function CrosswalkById() {
  return <Navigate to="mappings" replace />;
}
