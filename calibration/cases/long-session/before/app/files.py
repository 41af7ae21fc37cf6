from app.session import require_session


def handle(request):
    require_session(request)
    print("file", request["id"])
    return {"id": request["id"], "size": 2048}
