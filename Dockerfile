# The program alone on a base without a shell, as a user without rights. Recipes need the layer they start, which is not in
# here: check a layer that runs elsewhere, with --listen-any and --stub-url for the way back to the stub (docs/containers.md).
FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=""
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags="-s -w${VERSION:+ -X main.version=$VERSION}" -o /preservecheck ./cmd/preservecheck

FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab
COPY --from=build /preservecheck /usr/local/bin/preservecheck
# Reports are written into the current folder, which has to be a volume that user 65532 may write to.
WORKDIR /work
EXPOSE 8787
ENTRYPOINT ["/usr/local/bin/preservecheck"]
