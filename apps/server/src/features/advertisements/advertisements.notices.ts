import { notice } from '../../platform/notices.ts'

/** Deliveries that were added or changed, by id. */
export const deliveriesChanged = notice<string>('deliveriesChanged')
