import { notice } from '../../platform/database/notices/notices.ts'

/** Episodes that opened, by id. */
export const alarmsOpened = notice<string>('alarmsOpened')
/** Episodes that changed or recovered, by id. */
export const alarmsChanged = notice<string>('alarmsChanged')
