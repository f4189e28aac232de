/** `HH:mm` of the process's time zone, which is the installation's. */
export interface QuietHours {
  from: string
  to: string
}

const minutesOf = (text: string) => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

/** When the quiet hours end that are under way at this moment; null where none are. They may pass midnight. */
export function quietUntil(quiet: QuietHours | null, at: Date): Date | null {
  if (!quiet) return null
  const [from, to] = [minutesOf(quiet.from), minutesOf(quiet.to)]
  const now = at.getHours() * 60 + at.getMinutes()
  const isQuiet = from < to ? now >= from && now < to : now >= from || now < to
  if (!isQuiet) return null
  const end = new Date(at)
  end.setHours(Math.floor(to / 60), to % 60, 0, 0)
  if (end <= at) end.setDate(end.getDate() + 1)
  return end
}

/**
 * What comes again within this time is the same trouble, and told no second time; so a recovery is told when it has not
 * come again.
 */
export const troubleMs = 300_000

/** When a recovery that was met now may be told: when it has lasted, and not in quiet hours. */
export function recoveryDueAt(
  { groupWaitS, quiet }: { groupWaitS: number; quiet: QuietHours | null },
  now: Date,
): Date {
  return dueAt({ groupWaitS: Math.max(groupWaitS, troubleMs / 1_000), quiet }, false, now)
}

/** When an alarm that was met now may be told: those of level 1 at once, others after the wait and the quiet hours. */
export function dueAt(
  { groupWaitS, quiet }: { groupWaitS: number; quiet: QuietHours | null },
  isCritical: boolean,
  now: Date,
): Date {
  if (isCritical) return now
  const waited = new Date(now.getTime() + groupWaitS * 1_000)
  return quietUntil(quiet, waited) ?? waited
}
