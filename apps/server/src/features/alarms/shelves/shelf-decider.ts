import { insertAlarmShelf, type ShelfKind, shelfMinutesAtMost } from '@voltkeep/contract'
import { approverOf, type Decider } from '../../../domain/access/deciders.ts'

/** For more than a day, for windows and for what is out of service. */
export const longShelving = 'alarm:shelve:long'
/** For alarms of fire, of who asks and of who agrees. */
export const criticalShelving = 'alarm:shelve:critical'

export interface DecidedShelf {
  kind: ShelfKind
  isCritical: boolean
  startAt: Date
  endAt: Date | null
  decidedBy: number
  decidedByName: string
  decidedIn: number | null
  approvedBy: number | null
  approvedByName: string | null
  approvedIn: number | null
}

/** The function that a shelf needs beyond that of every one; null where it needs none. */
export function furtherFunctionOf({
  kind,
  isCritical,
  startAt,
  endAt,
}: Pick<DecidedShelf, 'kind' | 'isCritical' | 'startAt' | 'endAt'>): string | null {
  if (isCritical) return criticalShelving
  const isLong = endAt === null || endAt.getTime() - startAt.getTime() > shelfMinutesAtMost * 60_000
  return kind !== 'shelve' || isLong ? longShelving : null
}

/** Whose decision a shelf is. */
export function decidersOf(shelf: DecidedShelf): Decider[] {
  const maker: Decider = {
    userId: shelf.decidedBy,
    name: shelf.decidedByName,
    role: '搁置人',
    functionCodes: [furtherFunctionOf(shelf) ?? insertAlarmShelf.access],
    decidedIn: shelf.decidedIn,
  }
  const agreed = approverOf(shelf, [criticalShelving], shelf.approvedIn)
  return agreed ? [maker, agreed] : [maker]
}
