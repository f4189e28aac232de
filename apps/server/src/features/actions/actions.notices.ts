import { notice } from '../../platform/database/notices/notices.ts'

/** Remote actions that were made, by id. */
export const remoteActionsAdded = notice<string>('remoteActionsAdded')

/** Remote actions whose state changed, by id. */
export const remoteActionsChanged = notice<string>('remoteActionsChanged')
