import { render } from 'preact';
import './styles/index.css';
import { applyPreferences } from './lib/preferences';
import { App } from './shell/App';

applyPreferences();
const root = document.getElementById('app');
if (root) render(<App />, root);
