import type { Envelope } from '@voltkeep/contract/endpoint'
import { type CurrentUser, readCurrentUser } from '@voltkeep/contract/session'
import { narrowQuery } from '../lib/media.ts'
import { readLeniently } from '../lib/schemaInput.ts'
import { request } from '../lib/wire/call.ts'
import { keepEarly, seeEarly } from '../lib/wire/early.ts'
import { outgoingOf } from '../lib/wire/outgoing.ts'
import { fittingSize } from '../ui/list/fittingSize.ts'
import { sizes } from '../ui/tokens.ts'

/** Lists that are opened by their address, by the path that their menu has at first. */
const lists: Record<string, () => Promise<typeof import('@voltkeep/contract/alarms').listAlarms>> = {
  '/maintenance/exitWarning': async () => (await import('@voltkeep/contract/alarms')).listAlarms,
}

/**
 * Asks for the first rows of the page as soon as the user is known, while the console is still being read. The list
 * itself then makes the same call and takes this answer; where it makes another, this one is for nobody.
 */
export async function askForFirstList(): Promise<void> {
  // An address with filters is the page's own to read.
  const load = location.search === '' ? lists[location.pathname.replace(/\/+$/, '')] : undefined
  if (!load) return
  const known = seeEarly(readCurrentUser.path)
  const endpoint = await load()
  const user = await userOf(await known)
  if (!user || user.mustChangePassword || !user.functionCodes.includes(endpoint.access)) return
  const outgoing = outgoingOf(endpoint, {
    ...readLeniently(endpoint.input, {}),
    pageSize: user.preferences[`pageSize:${endpoint.path}`] ?? fittingSizeNow(user),
  })
  keepEarly(outgoing, request(outgoing))
}

async function userOf(answer: Response | undefined): Promise<CurrentUser | null> {
  if (!answer?.ok) return null
  const { data } = (await answer.json()) as Envelope<CurrentUser>
  return data
}

/** As the list itself computes it. */
function fittingSizeNow({ preferences }: CurrentUser): number {
  return fittingSize(window.innerHeight, {
    rowPx: preferences.density === 'compact' ? sizes.rowCompact : sizes.row,
    hasCards: window.matchMedia(narrowQuery).matches,
  })
}
