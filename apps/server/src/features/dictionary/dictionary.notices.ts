import { notice } from '../../platform/notices.ts'

/** Dictionary entries or definitions changed. */
export const dictionaryChanged = notice('dictionaryChanged')
