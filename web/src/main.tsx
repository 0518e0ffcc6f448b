import { render } from 'solid-js/web';

const root = document.getElementById('app');
if (root) render(() => <h1>Tribunal</h1>, root);
