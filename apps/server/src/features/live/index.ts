import { feature } from '../../platform/feature.ts'
import { sessions } from '../sessions/index.ts'
import { mountLive } from './live.routes.ts'
import { createLive, type Live } from './live.service.ts'

/** The stream that tells open pages what changed. */
export const live = feature({
  name: 'live',
  create({ db, log, use }) {
    let live: Live | undefined
    return {
      service: null,
      mount(api, { liveNouns }) {
        live = createLive({ db, nouns: liveNouns, sessions: use(sessions), log })
        mountLive(api, live)
      },
      unmount: () => live?.close(),
    }
  },
})
