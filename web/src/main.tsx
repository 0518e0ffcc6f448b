import { render } from 'solid-js/web';
import { keepHalf } from './api/half';
import { bestLocale, LOCALES, setLocale } from './i18n';
import { App } from './shell/App';
import { start } from './shell/boot';
import { stored } from './shell/stored';
import { restoreTheme } from './shell/theme';
import './styles/base.css';
import './shell/shell.css';

keepHalf();
restoreTheme();
const chosen = LOCALES.find((locale) => locale === stored('locale')) ?? bestLocale(navigator.languages);
// The words and the session are fetched at the same time; nothing is drawn without words.
void start();
await setLocale(chosen);

const root = document.getElementById('app');
if (root) render(() => <App />, root);
