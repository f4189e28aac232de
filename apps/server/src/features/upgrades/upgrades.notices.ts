import { notice } from '../../platform/database/notices/notices.ts'

/** Tasks that were added or changed, their stages and counts included, by id. */
export const upgradeTasksChanged = notice<number>('upgradeTasksChanged')
/** Targets that changed, by id. */
export const upgradeTargetsChanged = notice<string>('upgradeTargetsChanged')
