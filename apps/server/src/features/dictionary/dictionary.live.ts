import { liveDictionary } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { dictionaryChanged } from './dictionary.notices.ts'

/** The dictionary in the live stream: it names no entries, since an entry may concern rows of every list. */
export function createLiveDictionary({ notices }: { notices: Pick<Notices, 'subscribe'> }): LiveNoun {
  return {
    declared: liveDictionary,
    follow: ({ changed }) => notices.subscribe(dictionaryChanged, () => changed(null)),
    placesOf: async () => [],
  }
}
