/** Checkboxes for the routes of a role, grouped by area. */
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { AREAS, checkedState, otherRoutes, withChecked } from './route-tree.ts';

export interface RouteTreeProps {
  routes: readonly string[];
  onChange: (routes: string[]) => void;
  /** Whether all routes are granted and cannot be revoked, as for administrators. */
  grantsAll?: boolean;
}

export function RouteTree({ routes, onChange, grantsAll = false }: RouteTreeProps) {
  const grantedRoutes = new Set(routes);
  const otherGrantedRoutes = grantsAll ? [] : otherRoutes(routes);
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium text-sm">Pages</legend>
      <ul className="flex flex-col gap-3">
        {AREAS.map((area) => (
          <li key={area.label}>
            <LabelledCheckbox
              label={<span className="font-medium">{area.label}</span>}
              disabled={grantsAll}
              checked={grantsAll || checkedState(grantedRoutes, area.routes)}
              onCheckedChange={(ticked) => onChange(withChecked(routes, area.routes, ticked === true))}
            />
            <ul className="mt-1.5 ml-2 flex flex-col gap-1.5 border-hairline border-l pl-4">
              {area.routes.map((each) => (
                <li key={each.route}>
                  <LabelledCheckbox
                    label={
                      <>
                        {each.label} <span className="font-mono text-muted text-xs">{each.route}</span>
                        {each.opens.length > 0 && (
                          <span className="block font-mono text-muted text-xs">also opens {each.opens.join(', ')}</span>
                        )}
                      </>
                    }
                    disabled={grantsAll}
                    checked={grantsAll || grantedRoutes.has(each.route)}
                    onCheckedChange={(ticked) => onChange(withChecked(routes, [each], ticked === true))}
                  />
                </li>
              ))}
            </ul>
          </li>
        ))}
        {otherGrantedRoutes.length > 0 && (
          <li>
            <p className="font-medium text-sm">Other pages</p>
            <ul className="mt-1.5 ml-2 flex flex-col gap-1.5 border-hairline border-l pl-4">
              {otherGrantedRoutes.map((route) => (
                <li key={route}>
                  <LabelledCheckbox
                    label={<span className="font-mono text-xs">{route}</span>}
                    checked
                    onCheckedChange={() => onChange(withChecked(routes, [{ route }], false))}
                  />
                </li>
              ))}
            </ul>
          </li>
        )}
      </ul>
    </fieldset>
  );
}
