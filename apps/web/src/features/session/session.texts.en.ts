// The English of session.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { sessionTexts as Chinese } from './session.texts.ts'

export const sessionTexts: English<typeof Chinese> = {
  measure: 'session',
  fields: {
    user: 'User',
    name: 'Name',
    nameHint: 'Name or login name',
    organization: 'Organization',
    address: 'Address',
    agent: 'Browser',
    createTime: 'Signed in',
    seenTime: 'Last active',
  },
  current: 'This session',
  unknownAgent: 'Unknown client',
  end: {
    action: 'Sign out',
    title: 'Sign user out',
    ask: (userName, address) => `The sign-in of ${userName} at ${address} will end.`,
    warn: 'The user has to sign in again to go on; to keep the user out, disable the account.',
  },
  empty: 'Nobody is signed in',
  emptyFiltered: 'No sessions match',
}
