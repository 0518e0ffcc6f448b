// The stage on one line, for who has other things to look at.

import { t } from '../i18n';
import { Badge } from './Header';
import type { Standing } from './standing';
import type { View } from './view';
import { scoreOr } from './words';

export function Small(props: { readonly view: View; readonly standing: Standing; readonly onExpand: () => void }) {
  const { given, tally } = props.view;
  return (
    <div class="stage-small">
      <Badge standing={props.standing} waitingFor={given.run.waitingFor} />
      <b>{scoreOr(tally().composite, given.run.loop)}</b>
      <h1>{given.run.subject}</h1>
      <button type="button" aria-expanded="false" onClick={() => props.onExpand()}>
        {t('stage.expand')}
      </button>
    </div>
  );
}
