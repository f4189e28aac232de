import { Refusal } from '../../calls/refusal.ts'

/**
 * The refusal `filesFull` in place of the system's error for a full disk or an exhausted quota; other errors as they
 * are.
 */
export function refusalOfWriting(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' ? new Refusal('filesFull') : error
}
