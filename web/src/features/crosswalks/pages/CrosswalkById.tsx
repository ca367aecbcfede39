/** Redirects from the URL of a crosswalk to its mappings. */
import { Navigate } from 'react-router-dom';

export default function CrosswalkById() {
  return <Navigate to="mappings" replace />;
}
