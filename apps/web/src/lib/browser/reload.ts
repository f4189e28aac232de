import { notify } from '../notices.ts'
import { unreachable } from '../wire/unreachable.ts'

/** Whether the server answers with the app, which a reload would request. */
export async function isServed(): Promise<boolean> {
  try {
    return (await fetch('/', { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

/** Reloads where the server answers; where it does not, the page stays and says so. */
export async function reloadWhenServed(): Promise<void> {
  if (await isServed()) location.reload()
  else notify.error(unreachable())
}
