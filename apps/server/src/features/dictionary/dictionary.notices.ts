import { notice } from '../../platform/database/notices/notices.ts'

/** Dictionary entries or definitions changed. */
export const dictionaryChanged = notice('dictionaryChanged')
