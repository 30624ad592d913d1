/** How this browser shows things. None of it is stored on the server. */
import { setPreferences, usePreferences } from '../../lib/preferences';
import { Panel, Segments, Toggle } from '../../ui/parts';

export function Appearance() {
  const { theme, zone, density, shortcuts } = usePreferences();
  return (
    <Panel title="Appearance" note="stored in this browser">
      <ul className="choices">
        <li className="row">
          <span className="grow">Theme</span>
          <Segments
            label="Theme"
            value={theme}
            options={[
              { value: 'system', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={(to) => setPreferences({ theme: to })}
          />
        </li>
        <li className="row">
          <span className="grow">Times</span>
          <Segments
            label="Times"
            value={zone}
            options={[
              { value: 'local', label: 'Your time zone' },
              { value: 'utc', label: 'UTC' },
            ]}
            onChange={(to) => setPreferences({ zone: to })}
          />
        </li>
        <li className="row">
          <span className="grow">Rows</span>
          <Segments
            label="Rows"
            value={density}
            options={[
              { value: 'dense', label: 'Dense' },
              { value: 'relaxed', label: 'Relaxed' },
            ]}
            onChange={(to) => setPreferences({ density: to })}
          />
        </li>
        <li className="row">
          <span className="grow">
            Single-key shortcuts <span className="faint small">press ? for the list</span>
          </span>
          <Toggle label="Single-key shortcuts" isOn={shortcuts} onChange={(isOn) => setPreferences({ shortcuts: isOn })} />
        </li>
      </ul>
    </Panel>
  );
}
