import { notice } from '../../platform/database/notices/notices.ts'

/** Deeds that wait for a second person, or wait no more, by id. */
export const approvalsChanged = notice<string>('approvalsChanged')
