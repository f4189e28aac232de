import { readFeed } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Feed } from './feed.service.ts'

export function mountFeed(api: Api, feed: Feed): void {
  api.mount(readFeed, ({ actor, input, ...call }) => feed.readFeed(actor, input, call))
}
