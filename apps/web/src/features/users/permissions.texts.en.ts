// The English of permissions.texts.ts.
import { counted, type English } from '../../lib/texts/english.ts'
import type { permissionTexts as Chinese } from './permissions.texts.ts'

export const permissionTexts: English<typeof Chinese> = {
  action: 'Data scope',
  title: (userName) => `Data scope · ${userName}`,
  intro:
    'Limits further within the organization: any of one kind, all kinds together; a region includes all below it.',
  beyond: (count) => `${count} more lie outside of your data scope and are kept.`,
  fields: { equipTypes: 'Device types', operators: 'Operators', regions: 'Regions' },
  regionsHint: 'Any level, at most 3.',
  tooManyRegions: 'At most 3 regions',
  choose: 'Any',
  outside: (operator) => `${operator} (outside of the user’s organization)`,
  nameless: (id) => `Operator ${id}`,
  save: 'Save',
  saveTitle: 'Save data scope',
  saveAsk: (userName) => `The data scope of ${userName} changes at once.`,
  reset: 'Reset',
  resetTitle: 'Reset data scope',
  resetAsk: (userName) => `All limits on the data scope of ${userName} will be removed.`,
  resetNarrowed: 'Your own data scope is limited: after the reset the user has the same as you.',
  sight: {
    label: 'Visible devices',
    chosen: 'Limited',
    all: 'All of the organization',
    asMine: 'As mine',
    unchosen: 'Choose device types, operators or regions; the number of visible devices is shown then.',
  },
  preview: {
    title: 'Preview',
    count: (count) => counted(count, 'device'),
    willSee: 'The user will see',
    ofTotal: (total) => `of ${total} in your data scope`,
    system: 'A SYSTEM user sees all devices; the data scope has no effect.',
    nothingChosen: 'Nothing is limited: all devices of the organization.',
    code: 'Device code',
    codeHint: 'Enter a device code',
    why: 'Explain',
    visible: (code) => `${code}: visible`,
    hidden: (code) => `${code}: hidden`,
    passed: 'passed',
    failed: 'failed',
  },
}
