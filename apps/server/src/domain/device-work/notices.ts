import type { LiveNoun as DeclaredNoun } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Notice, Notices } from '../../platform/database/notices/notices.ts'

/** More changes at once are not named one by one. */
const namedAtMost = 500

/** Publishes rows that changed, after the commit; null for any of them. */
export const tellsRows =
  (notices: Pick<Notices, 'publish'>, notice: Notice<string>) =>
  (ids: readonly string[] | null): void => {
    if (ids?.length !== 0) notices.publish(notice, ids && ids.length > namedAtMost ? null : ids)
  }

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
