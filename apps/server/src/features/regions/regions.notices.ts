import { notice } from '../../platform/database/notices/notices.ts'

/** The tree of regions changed. */
export const regionsChanged = notice('regionsChanged')
