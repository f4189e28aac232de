// The English of keys.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { keyTexts as Chinese } from './keys.texts.ts'

export const keyTexts: English<typeof Chinese> = {
  measure: 'key',
  tabs: { keys: 'Keys', feed: 'Event feed' },
  states: { active: 'Valid', expired: 'Expired', stopped: 'Maker disabled' },
  fields: {
    name: 'Name',
    nameHint: 'Key or maker',
    maker: 'Made by',
    organization: 'Organization',
    functions: 'Functions',
    sight: 'Data scope',
    networks: 'Networks',
    validDays: 'Valid for',
    state: 'State',
    secret: 'Key',
    expireTime: 'Expires',
    lastUsed: 'Last used',
  },
  choose: 'Choose',
  add: 'Add key',
  empty: 'No API keys yet',
  emptyHint: 'Make a key for another system; it can never do more than you.',
  emptyFiltered: 'No keys match',
  functionCount: (count) => counted(count, 'function'),
  sightWords: {
    own: 'As its maker',
    some: (kinds) => `Limited by ${kinds}`,
    hidden: 'Not visible',
    kinds: { O: 'operator', ET: 'device type', R: 'region' },
  },
  anyNetwork: 'Any',
  hint: (letters) => `…${letters}`,
  hints: {
    functions: 'The key has the chosen functions only, and never more than you have at that time.',
    organization: 'It sees devices of this organization and those below.',
    networks: 'One IP address or network per line, e.g. 10.0.0.0/8; empty for any.',
  },
  days: 'days',
  sight: { all: 'As mine', chosen: 'Limited' },
  rotate: {
    action: 'Rotate',
    title: 'Rotate key',
    ask: (name) => `“${name}” will get a new key.`,
    warn: (hours) => `The former key ends in ${counted(hours, 'hour')}; the expiry stays the same.`,
  },
  once: {
    title: 'API key',
    warning: 'The key is shown only once. Save it now.',
    saved: 'Saved',
    use: 'How to call',
    header: (secret) => `Authorization: Bearer ${secret}`,
    docs: 'API documents',
  },
  remove: {
    ...en.removal,
    title: 'Revoke key',
    action: 'Revoke',
    done: 'Revoked',
    ask: (name) => `The key “${name}” will be revoked.`,
    warn: 'Systems that use it lose access at once, and its unfinished tasks stop; this cannot be undone.',
  },
}
