import {
  deleteSignInProvider,
  finishSignIn,
  insertSignInProvider,
  listSignInProviders,
  nameSignInProviders,
  startSignIn,
  updateSignInProvider,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Providers } from './providers.service.ts'
import { browserSeconds, type SignIn } from './sign-in.service.ts'

/** Of the browser that has begun a sign-in. */
const browserCookie = 'voltkeep_sign_in'
const keptFor = { path: '/api/signIn', maxAgeSeconds: browserSeconds }

export function mountSignIn(
  api: Api,
  { providers, service }: { providers: Providers; service: SignIn },
): void {
  api.mount(listSignInProviders, ({ input }) => providers.listSignInProviders(input))
  api.mount(insertSignInProvider, ({ actor, input }) => providers.insertSignInProvider(actor, input))
  api.mount(updateSignInProvider, ({ actor, input }) => providers.updateSignInProvider(actor, input))
  api.mount(deleteSignInProvider, ({ actor, input }) => providers.deleteSignInProvider(actor, input))
  api.mount(nameSignInProviders, () => service.nameSignInProviders())
  api.mount(startSignIn, async ({ input, client, cookies, ...turn }) => {
    const { url, browser } = await service.startSignIn(input, client, cookies.read(browserCookie), turn)
    cookies.keep(browserCookie, browser, keptFor)
    return { url }
  })
  api.mount(finishSignIn, async ({ input, client, cookies, ...turn }) => {
    const { token, language } = await service.finishSignIn(input, client, cookies.read(browserCookie), turn)
    cookies.keepLanguage(language)
    return { token }
  })
}
