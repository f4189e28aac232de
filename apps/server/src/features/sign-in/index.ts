import { feature } from '../../platform/feature.ts'
import { ownUrl } from '../../platform/process/own-url.ts'
import { openSealer } from '../../platform/process/sealing.ts'
import { sessions } from '../sessions/index.ts'
import { createProviders } from './providers.service.ts'
import { mountSignIn } from './sign-in.routes.ts'
import { signInSeeds } from './sign-in.seeds.ts'
import { createSignIn } from './sign-in.service.ts'

/** Signing in by the company's identity provider, beside passwords and never instead of them. */
export const signIn = feature({
  name: 'sign-in',
  tables: ['sign_in_identity', 'sign_in_provider', 'sign_in_request'],
  constraints: { sign_in_provider_name_taken: 'signInProviderTaken' },
  seeds: signInSeeds,
  create({ db, config, log, ports, use }) {
    const sealer = openSealer(config)
    const ownAddress = () => ownUrl(config, ports)
    const providers = createProviders({ db, sealer, ownAddress })
    const service = createSignIn({ db, log, sealer, ownAddress, sessions: use(sessions) })
    return { service, mount: (api) => mountSignIn(api, { providers, service }) }
  },
})
