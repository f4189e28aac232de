import type { Notice, Notices } from '../../platform/database/notices/notices.ts'

/** More changes at once are not named one by one. */
const namedAtMost = 500

/** Publishes rows that changed, after the commit; null for any of them. */
export const tellsRows =
  (notices: Pick<Notices, 'publish'>, notice: Notice<string>) =>
  (ids: readonly string[] | null): void => {
    if (ids?.length !== 0) notices.publish(notice, ids && ids.length > namedAtMost ? null : ids)
  }
