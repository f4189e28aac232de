import { notice } from '../../platform/notices.ts'

/** The tree of regions changed. */
export const regionsChanged = notice('regionsChanged')
