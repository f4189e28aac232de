import type { LiveNoun as DeclaredNoun } from '@voltkeep/contract'

// A noun that joins the live stream: the feature of that noun makes one, the live stream reads the list of
// all of them and knows none by name.

/** A row and where its device stands, which is what a data scope is checked against. */
export interface PlacedRow {
  id: string
  operatorId: number
  equipTypeId: number
  regionId: number
}

/** The events of a noun while a stream is open; `null` in place of ids: too many to name. */
export interface LiveTell {
  added(ids: readonly (string | number)[] | null): void
  changed(ids: readonly (string | number)[] | null): void
}

export interface LiveNoun {
  declared: DeclaredNoun
  /** Begins to tell, and returns the function that ends it. The database is not queried while nobody listens. */
  follow(tell: LiveTell): () => void
  /** Where these rows stand now; a row that is gone has no place and is not told of. */
  placesOf(ids: readonly string[]): Promise<PlacedRow[]>
}
