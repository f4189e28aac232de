// The English of watch.texts.ts.
import { counted, type English } from '../../../lib/texts/english.ts'
import type { watchTexts as Chinese } from './watch.texts.ts'

export const watchTexts: English<typeof Chinese> = {
  one: 'New critical alarm',
  many: (count) => counted(count, 'new critical alarm'),
  open: 'View',
  title: (count, name) => (count > 1 ? `${count} critical alarms: ${name} …` : `Critical alarm: ${name}`),
  settings: {
    hint: 'Tells of new critical alarms while you read another page or the window is in the background.',
    sound: 'Sound',
    desktop: 'Desktop notifications',
    denied: 'The browser does not allow desktop notifications; allow them in the site settings',
    insecure: 'Desktop notifications and alerts in the background need HTTPS.',
  },
}
