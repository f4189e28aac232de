import { tellLeaving } from '../lib/leaving.ts'
import { notify } from '../lib/notices.ts'
import { dropToken } from '../lib/session.ts'
import { createStore } from '../lib/store.ts'
import { texts } from '../lib/texts/index.ts'
import { type CallError, sessionCodes, sessionEnd } from '../lib/wire/call.ts'
import { askToConfirm } from '../ui/buttons/Confirmation.tsx'

const reloadAfterMs = 1_500

/** The session is over and the user stayed on the page to read: a banner says that nothing is updated any more. */
export const isReadingOn = createStore(false)

/** The reaction to a call that learns that the session is over. */
export function watchSessionEnd(): void {
  let isHandling = false
  sessionEnd.subscribe(() => {
    const error = sessionEnd.get()
    if (!error || isHandling) return
    isHandling = true
    if (sessionCodes.includes(error.code)) {
      void offerLogin(error).finally(() => {
        isHandling = false
      })
    } else {
      // Not reset: the reload ends this page.
      notify.error(error.message || texts.session.signedOut)
      dropToken()
      // Otherwise the sign-in page could appear before the reload, which would lose what the user has typed there.
      tellLeaving()
      setTimeout(() => location.reload(), reloadAfterMs)
    }
  })
}

async function offerLogin(error: CallError): Promise<void> {
  const isConfirmed = await askToConfirm({
    title: texts.session.endTitle,
    body: texts.session.endBodies[error.code] ?? error.message,
    confirmLabel: texts.session.reLogin,
    cancelLabel: texts.session.stay,
  })
  if (isConfirmed) signInAgain()
  else isReadingOn.set(true)
}

export function signInAgain(): void {
  dropToken()
  location.reload()
}
