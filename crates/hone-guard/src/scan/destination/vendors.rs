//! Makers of developer tools and cloud services that readers know by the names of their domains. What one of
//! them serves as an installer is the maker's own, whichever skill names it: to have it run is no more than a
//! note. That is all it says. A key or a file that goes there is judged as anywhere else, and a host that
//! only holds such a name (`get-elastic.co.site`, `elastic-cli.dev`) is a stranger's.
//!
//! A domain stands here by its whole registered name, with the hosts below it, if its owner alone decides
//! what lies there: places where customers or users leave files, sites or answers do not. Sorted.

use super::at;

#[rustfmt::skip]
const VENDORS: &[&str] = &[
    "1password.com", "airbyte.com", "akamai.com", "akuity.io", "algolia.com", "amd.com", "anaconda.com", "anchore.com", "android.com", "ansible.com",
    "anthropic.com", "apache.org", "apollo.dev", "apollographql.com", "apple.com", "aquasec.com", "arangodb.com", "argoproj.io", "arm.com",
    "asdf-vm.com", "atlassian.com", "autodesk.com", "axiom.co", "basecamp.com", "bazel.build", "biomejs.dev", "bitnami.com", "bitwarden.com",
    "brew.sh", "broadcom.com", "browser-use.com", "browserbase.com", "buf.build", "buildkite.com", "bytebase.com", "canonical.com", "cdktf.io",
    "charm.land", "charm.sh", "checkmarx.com", "chef.io", "chocolatey.org", "circleci.com", "cisco.com", "clerk.com", "clickhouse.com",
    "cloudbees.com", "cncf.io", "cockroachlabs.com", "codecov.io", "codeium.com", "coderabbit.ai", "cohere.com", "conda.org", "confluent.io",
    "consul.io", "contentful.com", "continue.dev", "couchbase.com", "crewai.com", "crowdstrike.com", "crunchydata.com", "cube.dev", "cursor.com",
    "cyberark.com", "cypress.io", "dagger.io", "dagster.io", "databricks.com", "datadoghq.com", "datadoghq.eu", "datastax.com", "dbeaver.io",
    "deepgram.com", "deepseek.com", "dell.com", "depot.dev", "determinate.systems", "dgraph.io", "direnv.net", "dlthub.com", "docker.com",
    "doppler.com", "dotenvx.com", "drizzle.team", "duckdb.org", "dynatrace.com", "earthly.dev", "eclipse.org", "elastic.co", "electric-sql.com",
    "elevenlabs.io", "elixir-lang.org", "envoyproxy.io", "erlang.org", "esphome.io", "f5.com", "factory.ai", "falco.org", "fastly.com",
    "firebase.tools", "fireworks.ai", "fivetran.com", "flox.dev", "flutter.dev", "fluxcd.io", "fortinet.com", "fossa.com", "gatsbyjs.com",
    "getcomposer.org", "getdbt.com", "gitguardian.com", "go.dev", "godotengine.org", "golang.org", "goteleport.com", "gradle.com", "gradle.org",
    "grafana.com", "graphite.dev", "groq.com", "guardicore.com", "harness.io", "hashicorp.com", "helm.sh", "honeycomb.io", "hpe.com", "ibm.com",
    "infisical.com", "influxdata.com", "infracost.io", "inngest.com", "intel.com", "istio.io", "jenkins.io", "jetbrains.com", "jetify.com",
    "jfrog.com", "jitsi.org", "julialang.org", "k0sproject.io", "k3s.io", "k6.io", "k8s.io", "keycloak.org", "kiro.dev", "knative.dev", "kong.com",
    "konghq.com", "kotlinlang.org", "kubernetes.io", "kyverno.io", "lacework.com", "langchain.com", "langfuse.com", "laravel.com", "launchdarkly.com",
    "letsencrypt.org", "linkerd.io", "linuxfoundation.org", "livekit.io", "llamaindex.ai", "llvm.org", "mariadb.com", "mariadb.org",
    "materialize.com", "mautic.org", "medusajs.com", "meilisearch.com", "meltano.com", "mend.io", "metabase.com", "milvus.io", "min.io", "mistral.ai",
    "mitmproxy.org", "modular.com", "mongodb.com", "moonrepo.dev", "motherduck.com", "mozilla.org", "mulesoft.com", "mysql.com", "nango.dev",
    "nats.io", "neo4j.com", "neon.com", "neon.tech", "netapp.com", "netbird.io", "netdata.cloud", "newrelic.com", "nextjs.org", "nginx.com",
    "nginx.org", "ngrok.com", "nixos.org", "nodejs.org", "nodesource.com", "novu.co", "nrwl.io", "nvidia.com", "nx.dev", "oh-my-posh.dev",
    "ollama.com", "openai.com", "openapi-generator.tech", "openpolicyagent.org", "openresty.org", "openssl.org", "opentelemetry.io", "opentofu.org",
    "openvpn.net", "oracle.com", "orbstack.dev", "ory.sh", "pagerduty.com", "paloaltonetworks.com", "pants.build", "pantsbuild.org", "parallel.ai",
    "payloadcms.com", "pinecone.io", "pixi.sh", "planetscale.com", "plausible.io", "playwright.dev", "pnpm.io", "podman.io", "portainer.io",
    "posit.co", "postgresql.org", "posthog.com", "prefect.io", "prefix.dev", "prisma.io", "prometheus.io", "proxmox.com", "pulumi.com", "puppet.com",
    "pypa.io", "python-poetry.org", "python.org", "pytorch.org", "qdrant.tech", "qualys.com", "questdb.io", "rabbitmq.com", "rancher.com",
    "rancher.io", "rapid7.com", "raspberrypi.com", "raycast.com", "react.dev", "redhat.com", "redis.com", "redis.io", "redpanda.com", "resend.com",
    "restate.dev", "risingwave.com", "rstudio.com", "ruby-lang.org", "rubyonrails.org", "runpod.io", "rust-lang.org", "rustup.rs", "rvm.io",
    "saleor.io", "sanity.io", "sap.com", "scala-lang.org", "sdkman.io", "semgrep.com", "semgrep.dev", "sentry.dev", "sentry.io", "serverless.com",
    "signoz.io", "sigstore.dev", "singlestore.com", "slsa.dev", "snowflake.com", "snyk.io", "solana.com", "solo.io", "sonarqube.org",
    "sonarsource.com", "sonatype.com", "sourcegraph.com", "speakeasy.com", "splunk.com", "spring.io", "sqlite.org", "sst.dev", "stackhawk.com",
    "starship.rs", "strapi.io", "surrealdb.com", "suse.com", "swift.org", "syncthing.net", "sysdig.com", "tailscale.com", "tauri.app", "temporal.io",
    "tenable.com", "tensorflow.org", "terraform.io", "tidbcloud.com", "tigerdata.com", "tigrisdata.com", "timescale.com", "tinybird.co",
    "together.ai", "trendmicro.com", "trigger.dev", "trivy.dev", "turborepo.com", "turso.tech", "typesense.org", "unity.com", "unrealengine.com",
    "upbound.io", "upstash.com", "vagrantup.com", "vaultproject.io", "vector.dev", "victoriametrics.com", "vite.dev", "vmware.com", "volta.sh",
    "wandb.com", "warp.dev", "wasmcloud.com", "wasmer.io", "wasmtime.dev", "weaviate.io", "windsurf.com", "wireguard.com", "wiz.io", "workos.com",
    "xata.io", "yarnpkg.com", "yugabyte.com", "zed.dev", "zerotier.com", "ziglang.org", "zitadel.com", "zscaler.com",
];

/// Folders of vendors on hosts that they share with others.
const FOLDERS: [&str; 3] = ["hf.co/cli/", "s3.amazonaws.com/dd-agent/", "sliver.sh/install"];

/// Whether a host and path belong to a known maker.
pub(super) fn is_vendors(host: &str, path: &str) -> bool {
    let names = host.match_indices('.').map(|(dot, _)| &host[dot + 1..]);
    std::iter::once(host).chain(names).any(|name| VENDORS.binary_search(&name).is_ok())
        || FOLDERS.iter().any(|folder| at(host, path, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_holds_registered_names() {
        assert!(VENDORS.is_sorted_by(|a, b| a < b));
        for name in VENDORS {
            assert!(name.contains('.') && *name == name.to_ascii_lowercase(), "{name}");
        }
    }

    #[test]
    fn a_vendor_is_known_by_its_whole_name() {
        for (host, path) in [
            ("elastic.co", "/start-local"),
            ("artifacts.elastic.co", "/x"),
            ("hf.co", "/cli/install.sh"),
            ("s3.amazonaws.com", "/dd-agent/scripts/install_script.sh"),
        ] {
            assert!(is_vendors(host, path), "{host}{path}");
        }
        for (host, path) in [
            ("elastic.co.site", "/start-local"),
            ("myelastic.co", "/x"),
            ("get-elastic.co", "/x"),
            ("hf.co", "/spaces/x/install.sh"),
            ("s3.amazonaws.com", "/dd-agent-tools/install.sh"),
        ] {
            assert!(!is_vendors(host, path), "{host}{path}");
        }
    }
}
