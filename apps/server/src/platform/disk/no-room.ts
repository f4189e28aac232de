import { Refusal } from '../refusal.ts'

/** The refusal `filesFull` in place of what a full disk, or a used up quota, says to who writes; other errors as they are. */
export function refusalOfWriting(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' ? new Refusal('filesFull') : error
}
