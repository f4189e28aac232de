// The English of tree.texts.ts.

import { formatCount } from '../../lib/format.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { treeTexts as Chinese } from './tree.texts.ts'

export const treeTexts: English<typeof Chinese> = {
  sums: ({ devices, online, alarms }) =>
    [
      counted(formatCount(devices), 'device'),
      devices > 0 && `${formatCount(online)} online`,
      alarms > 0 && counted(formatCount(alarms), 'alarm'),
    ]
      .filter(Boolean)
      .join(' · '),
}
