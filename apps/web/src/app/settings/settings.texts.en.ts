// The English of settings.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { settingsTexts as Chinese } from './settings.texts.ts'

export const settingsTexts: English<typeof Chinese> = {
  title: 'Settings',
  theme: { name: 'Appearance', hint: 'In this browser only' },
  language: 'Language',
  density: { name: 'Row height' },
  notice: 'Alarm alerts',
  contacts: {
    name: 'Contacts',
    hint: 'Notices to people, roles and shifts reach you at these addresses.',
    none: 'There are no notice channels yet; ask an administrator.',
    placeholders: {
      mail: 'E-mail address',
      feishu: 'Feishu Open ID (ou_…) or User ID',
      mobile: 'Mobile number, to @ you in the group',
    },
    save: 'Save',
    remove: 'Delete',
  },
  password: { name: 'Password' },
}
