import { notice } from '../../../platform/database/notices/notices.ts'

/** Definitions of readings changed. */
export const readingCatalogueChanged = notice('readingCatalogueChanged')
