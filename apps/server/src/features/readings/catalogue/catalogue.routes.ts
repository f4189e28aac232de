import {
  deleteReadingDefinition,
  insertReadingDefinition,
  listReadingDefinitions,
  updateReadingDefinition,
} from '@voltkeep/contract'
import type { Api } from '../../../platform/http/mount.ts'
import type { Catalogue } from './catalogue.service.ts'

export function mountCatalogue(api: Api, catalogue: Catalogue): void {
  api.mount(listReadingDefinitions, ({ input }) => catalogue.listReadingDefinitions(input))
  api.mount(insertReadingDefinition, ({ actor, input }) => catalogue.insertReadingDefinition(actor, input))
  api.mount(updateReadingDefinition, ({ actor, input }) => catalogue.updateReadingDefinition(actor, input))
  api.mount(deleteReadingDefinition, ({ actor, input }) => catalogue.deleteReadingDefinition(actor, input))
}
