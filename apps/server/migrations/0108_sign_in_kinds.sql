-- Providers that speak no OpenID Connect: WeCom, DingTalk and Feishu. Of these `issuer` is the kind with the company's id.
ALTER TABLE sign_in_provider
  ADD COLUMN kind text NOT NULL DEFAULT 'oidc',
  -- The company's id at the provider.
  ADD COLUMN corp_id text,
  -- Where the provider's servers are; null: in its public cloud.
  ADD COLUMN address text;
