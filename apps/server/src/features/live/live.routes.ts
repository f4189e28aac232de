import { openLiveStream } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Live } from './live.service.ts'

export function mountLive(api: Api, live: Live): void {
  api.mount(openLiveStream, async ({ actor, signal }) => live.openLiveStream(actor, signal))
}
