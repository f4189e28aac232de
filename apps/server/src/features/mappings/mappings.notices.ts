import { notice } from '../../platform/database/notices/notices.ts'

/** Mappings, or the models that they are for, changed. */
export const mappingsChanged = notice('mappingsChanged')
