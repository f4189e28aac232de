import { notice } from '../../platform/database/notices/notices.ts'

/** A page was drawn, drawn anew or signed, by id. */
export const handoversChanged = notice<number>('handoversChanged')
