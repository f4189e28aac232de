import { notice } from '../../platform/database/notices/notices.ts'

/** Extractions that were made, by id. */
export const logExtractionsAdded = notice<string>('logExtractionsAdded')

/** Extractions whose state or progress changed, by id. */
export const logExtractionsChanged = notice<string>('logExtractionsChanged')
