import { createSignal, Show, type Component, type JSX } from 'solid-js';
import { loadPageWords } from '../i18n';

/**
 * A component that is fetched with its words when it is first shown, so that a running stage does not
 * pay for it. Unlike Solid's `lazy` it suspends nothing: a drawer that is on its way must not blank the
 * stage. A load that failed (the server is gone) is tried again the next time.
 */
export function later<P extends object>(load: () => Promise<Component<P>>): (props: P) => JSX.Element {
  const [component, setComponent] = createSignal<Component<P>>();
  let isAsked = false;
  const ask = async (): Promise<void> => {
    isAsked = true;
    try {
      const [loaded] = await Promise.all([load(), loadPageWords()]);
      setComponent(() => loaded);
    } catch {
      isAsked = false;
    }
  };
  return (props) => {
    if (!isAsked) void ask();
    return <Show when={component()}>{(Loaded) => Loaded()(props)}</Show>;
  };
}
