import { notice } from '../../platform/database/notices/notices.ts'

/** Episodes that opened, by id. */
export const alarmsOpened = notice<string>('alarmsOpened')
/** Episodes that a shelf has left while they lasted, by id: they are to be seen, and told of, as if they had opened. */
export const alarmsUnshelved = notice<string>('alarmsUnshelved')
/** A shelf was made or ended, by id. */
export const shelvesChanged = notice<number>('shelvesChanged')
/** Episodes that changed or recovered, by id. */
export const alarmsChanged = notice<string>('alarmsChanged')
/** Alarms that came again soon after they recovered, as `repeatName` names them. */
export const alarmsRepeated = notice<string>('alarmsRepeated')
/** Episodes about which somebody has done something, by id. */
export const alarmsHandled = notice<string>('alarmsHandled')
