/** Nothing is known of the person: the provider is away, or is no such provider. */
export class ProviderAway extends Error {
  override name = 'ProviderAway'
}
