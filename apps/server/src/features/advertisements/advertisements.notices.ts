import { notice } from '../../platform/database/notices/notices.ts'

/** Deliveries that were added or changed, by id. */
export const deliveriesChanged = notice<string>('deliveriesChanged')
