import type { LiveNoun as DeclaredNoun } from '@voltkeep/contract'
import type { LiveNoun } from '../../calls/live-noun.ts'
import type { Notice, Notices } from './notices.ts'

/** A noun in the live stream whose rows these notices name. */
export const liveNoun = <Id extends string | number>(
  declared: DeclaredNoun,
  notices: Pick<Notices, 'subscribe'>,
  { added, changed, placesOf }: { added?: Notice<Id>; changed: Notice<Id> } & Pick<LiveNoun, 'placesOf'>,
): LiveNoun => ({
  declared,
  follow(tell) {
    const ends = [
      notices.subscribe(changed, tell.changed),
      ...(added ? [notices.subscribe(added, tell.added)] : []),
    ]
    return () => {
      for (const end of ends) end()
    }
  },
  placesOf,
})
