import { createSignal } from 'solid-js';

/** One request at a time, and the message of the one that failed. Resolves to whether it went well. */
export function createAsked() {
  const [isBusy, setBusy] = createSignal(false);
  const [error, setError] = createSignal('');
  const ask = async (act: () => Promise<void>): Promise<boolean> => {
    setBusy(true);
    setError('');
    try {
      await act();
      return true;
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, ask };
}

/** What had the focus may be gone or switched off when the server has answered; then the page has it, not nobody. */
export function keepFocus(): void {
  if (document.activeElement === null || document.activeElement === document.body) document.getElementById('main')?.focus();
}
