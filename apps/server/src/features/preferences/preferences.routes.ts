import { savePreference } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Preferences } from './preferences.service.ts'

export function mountPreferences(api: Api, preferences: Preferences): void {
  api.mount(savePreference, ({ actor, input }) => preferences.savePreference(actor, input))
}
