-- One text for SQLite and PostgreSQL. Times are UTC; SQLite keeps them as text.

-- +goose Up
CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value BIGINT NOT NULL
);

INSERT INTO counters (name, value) VALUES ('audit', 0), ('revision', 0);

CREATE TABLE administrators (
    name         TEXT PRIMARY KEY,
    role         TEXT NOT NULL,
    hash         TEXT NOT NULL,
    subject      TEXT UNIQUE,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    signed_in_at TIMESTAMPTZ
);

CREATE TABLE setup_tokens (
    hash       TEXT PRIMARY KEY,
    expires_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE sessions (
    hash       TEXT PRIMARY KEY,
    name       TEXT NOT NULL REFERENCES administrators (name) ON DELETE CASCADE,
    created_at TIMESTAMPTZ NOT NULL,
    used_at    TIMESTAMPTZ NOT NULL,
    address    TEXT NOT NULL,
    agent      TEXT NOT NULL
);

CREATE INDEX sessions_name ON sessions (name);

-- account is the SHA-256 of what was typed.
CREATE TABLE sign_in_failures (
    account TEXT NOT NULL,
    address TEXT NOT NULL,
    at      TIMESTAMPTZ NOT NULL
);

CREATE INDEX sign_in_failures_account ON sign_in_failures (account, at);

CREATE INDEX sign_in_failures_address ON sign_in_failures (address, at);

CREATE INDEX sign_in_failures_at ON sign_in_failures (at);

CREATE TABLE known_addresses (
    account TEXT NOT NULL,
    address TEXT NOT NULL,
    at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account, address)
);

CREATE TABLE api_tokens (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    owner      TEXT NOT NULL REFERENCES administrators (name) ON DELETE CASCADE,
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    used_at    TIMESTAMPTZ
);

CREATE INDEX api_tokens_owner ON api_tokens (owner);

-- secret is sealed; entries, node_addresses, fingerprints and limits are JSON.
CREATE TABLE clusters (
    name              TEXT PRIMARY KEY,
    entries           TEXT NOT NULL,
    node_addresses    TEXT NOT NULL,
    cas               TEXT NOT NULL,
    fingerprints      TEXT NOT NULL,
    token_id          TEXT NOT NULL,
    secret            TEXT NOT NULL,
    changes           BOOLEAN NOT NULL,
    desktop_tag       TEXT NOT NULL,
    limits            TEXT NOT NULL,
    revision          BIGINT NOT NULL,
    desktops_revision BIGINT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    updated_at        TIMESTAMPTZ NOT NULL
);

CREATE TABLE managed_desktops (
    cluster    TEXT NOT NULL REFERENCES clusters (name) ON DELETE CASCADE,
    vmid       BIGINT NOT NULL,
    name       TEXT NOT NULL,
    note       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (cluster, vmid)
);

CREATE TABLE audit_log (
    id           BIGINT PRIMARY KEY,
    at           TIMESTAMPTZ NOT NULL,
    actor        TEXT NOT NULL,
    actor_kind   TEXT NOT NULL,
    address      TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    action       TEXT NOT NULL,
    object       TEXT NOT NULL,
    before_value TEXT,
    after_value  TEXT,
    result       TEXT NOT NULL,
    reason       TEXT NOT NULL
);

CREATE INDEX audit_log_at ON audit_log (at);

CREATE INDEX audit_log_actor ON audit_log (actor, id);

CREATE INDEX audit_log_object ON audit_log (object, id);
